/** Short messages: what the server refused or did, and the loss of the connection. */
import type { Session } from "../session";
import { el } from "../ui/dom";

const SHOWN_MS = { error: 6000, notice: 3500 } as const;
const MOST = 3;

export function toasts(session: Session): HTMLElement {
  const list = el("div", "toasts");
  list.role = "status";
  session.message.watch((message) => {
    if (!message) return;
    const same = [...list.children].find((toast) => toast.textContent === message.text);
    same?.remove();
    const toast = el("div", `glass toast ${message.kind}`, message.text);
    list.append(toast);
    while (list.children.length > MOST) list.firstElementChild?.remove();
    setTimeout(() => toast.remove(), SHOWN_MS[message.kind]);
  });
  return list;
}

/** Covers nothing: what was there last stays in view and can be looked at. */
export function connectionNotice(session: Session): HTMLElement {
  const notice = el("div", "glass notice");
  notice.role = "status";
  let everLive = false;
  session.link.watch((link) => {
    everLive ||= link === "live";
    notice.hidden = link === "live";
    notice.textContent = everLive ? "Connection lost. Reconnecting…" : "Connecting to Barchan…";
    document.body.dataset["link"] = link;
  });
  return notice;
}
