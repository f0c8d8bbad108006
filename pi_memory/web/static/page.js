"use strict";
// What htmx cannot do by attributes. Everything else works without this file, and reading works without any script.
const $ = (id) => document.getElementById(id);
const say = $("say"), message = $("message"), stop = $("stop"), log = $("log");

if (say) {
  const end = () => { say.scrollIntoView({ block: "end" }); };
  say.addEventListener("htmx:before:request", (event) => {
    if (event.target !== say) return;
    const here = "/ui/chat/" + say.elements.conversation_id.value;
    if (location.pathname === "/") history.replaceState(null, "", here);
    message.value = "";
    stop.hidden = false;
    document.querySelector(".empty")?.remove();
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
  new MutationObserver(end).observe(log, { childList: true, subtree: true, characterData: true });
  if (log.children.length) end();
}

// A wide window has room for the list of conversations.
const wide = matchMedia("(min-width: 60rem)");
for (const details of document.querySelectorAll("details[data-wide]")) details.open = wide.matches;

// The file follows what changes elsewhere, unless somebody is editing it here.
for (const name of ["topics", "exchange", "missed"])
  document.body.addEventListener(name, () => {
    const text = $("text");
    if (text && text.value === text.defaultValue) htmx.trigger("#fresh", "fresh");
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
