// The Content-Security-Policy of our pages: a page may run its own scripts and styles and call this daemon, nothing else.
import { createHash } from 'node:crypto'

export type Inline = { readonly style: string; readonly script?: string }

/** Allows scripts and styles by hash, so that nothing that is injected later can run. */
export function contentPolicyOf({ style, script }: Inline): string {
  return [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`, "connect-src 'self'"]),
    `style-src ${hashOf(style)}`,
    "img-src 'self' data:",
    "frame-ancestors 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ')
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
