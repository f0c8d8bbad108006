"use strict";
// What htmx cannot do by attributes. Everything else works without this file, and reading works without any script.
const $ = (id) => document.getElementById(id);
const say = $("say"), message = $("message"), stop = $("stop"), log = $("log");

if (say) {
  // The window stays at the end of the talk, unless somebody has scrolled up to read.
  let follows = true;
  const page = document.documentElement;
  const end = () => { if (follows) scrollTo({ top: page.scrollHeight, behavior: "instant" }); };
  addEventListener("scroll", () => { follows = page.scrollHeight - innerHeight - scrollY < 60; }, { passive: true });
  const failed = (text) => { $("failed").textContent = text; end(); };
  say.addEventListener("htmx:before:request", (event) => {
    if (event.target !== say) return;
    stop.hidden = false;
    failed("");
  });
  // What was written stays in the box until the daemon has it.
  say.addEventListener("htmx:sse:after:connection", () => {
    if (location.pathname === "/") history.replaceState(null, "", "/ui/chat/" + say.elements.conversation_id.value);
    message.value = "";
    follows = true;
    document.querySelector(".empty")?.remove();
  });
  say.addEventListener("htmx:sse:after:message", end);
  say.addEventListener("htmx:error", (event) => {
    if (event.target === say) failed("Not sent: the daemon does not answer. Start it, then send again.");
  });
  say.addEventListener("htmx:sse:error", (event) => {
    if (event.target === say) failed("The reply broke off: the daemon does not answer.");
  });
  say.addEventListener("htmx:finally:request", (event) => {
    if (event.target !== say) return;
    stop.hidden = true;
    message.focus();
  });
  stop.addEventListener("click", () => htmx.trigger(say, "htmx:abort"));
  message.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (stop.hidden && message.value.trim()) say.requestSubmit();
  });
  if (log.childElementCount) {
    history.scrollRestoration = "manual";
    addEventListener("load", () => { follows = true; end(); });
  }
}

// A wide window has room for all of it.
const wide = matchMedia("(min-width: 60rem)");
const unfold = () => { if (wide.matches) document.querySelectorAll("details[data-wide]").forEach((details) => { details.open = true; }); };
wide.addEventListener("change", unfold);
unfold();

// The file follows what changes elsewhere, unless somebody is editing it here.
for (const name of ["topics", "exchange", "missed"])
  document.body.addEventListener(name, () => {
    const text = $("text");
    if (text && text.value === text.defaultValue) htmx.trigger("#fresh", "fresh");
  });

// A change that did not reach the daemon is not made.
document.addEventListener("htmx:error", (event) => {
  if (event.target === say || event.target.id === "live") return;
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.textContent = "Not done: the daemon does not answer.";
  $("notices").replaceChildren(notice);
});

// htmx carries the size that a box was drawn to over to what takes its place, which our policy for styles forbids.
document.addEventListener("htmx:before:swap", (event) => {
  for (const { target } of event.detail.tasks)
    for (const sized of target?.querySelectorAll?.("[style]") ?? []) sized.removeAttribute("style");
});

// What was sent need not stay in its form.
document.addEventListener("htmx:after:request", (event) => {
  const form = event.target;
  if (form.dataset && "clear" in form.dataset && event.detail.ctx.response?.status < 400) form.reset();
});

// A code for the phone has the token behind the #, which no server sees.
const login = $("login");
if (login && location.hash.length > 1) {
  login.elements.token.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
  login.submit();
}
