// The page for a person whose address the daemon refuses. It says what happened, why, and what to do.
import type { RepriseError } from '../../errors.ts'
import { contentPolicyOf } from './content-security-policy.ts'

const STYLE = `:root{color-scheme:light dark;--text:light-dark(#13191d,#e4e9ea);--muted:light-dark(#555e63,#9fa8ac);--accent:light-dark(#00696e,#68cecd)}
body{margin:0;min-height:100vh;display:grid;place-content:center;background:light-dark(#fff,#131618);color:var(--text);font:14px/22px system-ui,sans-serif}
main{max-width:30rem;padding:24px}h1{font:600 16px/24px system-ui,sans-serif;margin:0 0 8px}p{margin:0;color:var(--muted)}
a{color:var(--accent)}p+p{margin-top:12px}
code{padding:2px 6px;border:1px solid light-dark(#dee3e4,#262b2d);border-radius:4px;background:light-dark(#f1f4f5,#0f1213);font:12px/20px ui-monospace,monospace;color:var(--text);white-space:nowrap}
.mark{display:flex;gap:8px;align-items:center;margin-bottom:16px;color:var(--text);font-weight:600}.mark svg{color:var(--accent)}`

export const ERROR_POLICY = contentPolicyOf({ style: STYLE })

const TITLES: Partial<Record<RepriseError['code'], string>> = {
  unauthorized: 'You are not signed in',
  forbidden: 'This is not allowed',
  'not-found': 'There is nothing at this address',
  'too-many': 'Too many tries',
}

export function errorPage({ code, message, hint }: RepriseError): string {
  const title = TITLES[code] ?? 'This did not work'
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} · Reprise</title><style>${STYLE}</style></head>
<body><main>${MARK}<h1>${title}</h1><p>${sentence(message)} ${withCommands(hint)}</p>${code === 'not-found' ? WAY_BACK : ''}</main></body></html>
`
}

const MARK =
  '<p class="mark"><svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" aria-hidden="true"><path d="M13 2v12M9.5 2v12M5 5.5v.5M5 10v.5"/></svg>Reprise</p>'

const WAY_BACK = '<p><a href="/">Open the dashboard</a></p>'

function sentence(text: string): string {
  return escaped(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`)
}

/** A command in backquotes is a command on the page. */
function withCommands(hint: string): string {
  return escaped(hint).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
