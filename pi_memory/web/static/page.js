"use strict";
// What htmx cannot do by attributes.
const $ = (id) => document.getElementById(id);
const say = $("say"), message = $("message"), stop = $("stop"), log = $("log");

if (say) {
  // At the talk's end, unless somebody scrolled up.
  let follows = true, at = 0;
  const page = document.documentElement;
  const end = () => {
    follows &&= scrollY >= at; // its event may still come
    if (follows) scrollTo({ top: page.scrollHeight, behavior: "instant" });
    at = scrollY;
  };
  addEventListener("scroll", () => { follows = page.scrollHeight - innerHeight - (at = scrollY) < 60; }, { passive: true });
  const failed = (text) => { $("failed").textContent = text; end(); };
  const on = (name, act) => say.addEventListener("htmx:" + name, (event) => { if (event.target === say) act(); });
  on("before:request", () => {
    stop.hidden = false;
    failed("");
  });
  // The text stays in its box until now.
  on("sse:after:connection", () => {
    if (location.pathname === "/") history.replaceState(null, "", "/ui/chat/" + say.elements.conversation_id.value);
    message.value = "";
    follows = true;
    document.querySelector(".empty")?.remove();
  });
  on("sse:after:message", end);
  on("error", () => failed("Not sent: the daemon does not answer. Start it, then send again."));
  on("sse:error", () => failed("The reply broke off: the daemon does not answer."));
  on("finally:request", () => {
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

const wide = matchMedia("(min-width: 60rem)");
const unfold = () => { if (wide.matches) for (const one of document.querySelectorAll("details[data-wide]")) one.open = true; };
wide.addEventListener("change", unfold);
unfold();

// Unless it is being edited here.
for (const name of ["topics", "exchange", "missed"])
  document.body.addEventListener(name, () => {
    const text = $("text");
    if (text && text.value === text.defaultValue) htmx.trigger("#fresh", "fresh");
  });

document.addEventListener("htmx:error", (event) => {
  if (event.target === say || event.target.id === "live") return;
  $("notices").innerHTML = "<p class=notice>Not done: the daemon does not answer.</p>";
});

document.addEventListener("htmx:before:swap", (event) => {
  for (const { target, fragment } of event.detail.tasks) {
    // htmx copies a box's drawn size, which our policy for styles forbids.
    for (const sized of target?.querySelectorAll?.("[style]") ?? []) sized.removeAttribute("style");
    // A receipt that is being read is not shut by a newer one.
    if (target?.matches?.(".receipt:has(> details[open])")) fragment.querySelector("details").open = true;
  }
});

document.addEventListener("htmx:after:request", (event) => {
  const form = event.target;
  if (form.dataset && "clear" in form.dataset && event.detail.ctx.response?.status < 400) form.reset();
});

// A phone's code has the token behind the #.
const login = $("login");
if (login && location.hash.length > 1) {
  login.elements.token.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
  login.submit();
}
