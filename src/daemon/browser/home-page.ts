// The page behind the login: it says that the login worked and lists the threads. Its HTML holds no data; its script requests them with cookie and key.
import { KEY_HEADER } from '../contract/scope.ts'
import { contentPolicyOf } from './policy.ts'

const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}
header{display:flex;align-items:baseline;gap:1rem}h1{margin-right:auto}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .8rem .4rem 0;vertical-align:top}
tr+tr td{border-top:1px solid #8884}td{overflow-wrap:anywhere}code{font-family:ui-monospace,monospace}`

// The script inserts everything from outside as text, never as HTML.
const SCRIPT = `'use strict'
const found = /^#csrf=([A-Za-z0-9_-]{43})$/.exec(location.hash)
if (found) {
  localStorage.setItem('reprise-csrf', found[1])
  history.replaceState(null, '', '/')
}
const headers = { '${KEY_HEADER}': localStorage.getItem('reprise-csrf') ?? '' }
const say = text => { document.getElementById('state').textContent = text }
const cell = (row, text) => { row.insertCell().textContent = text }
async function show() {
  const answer = await fetch('/api/threads?limit=50', { headers })
  const body = await answer.json()
  if (!answer.ok) return say(body.error.message + '. ' + body.error.hint)
  say(body.items.length === 0 ? 'Signed in. No threads yet.' : 'Signed in. Threads, latest first:')
  const rows = document.getElementById('threads')
  for (const { id, title, agent, workDir, updatedAt } of body.items) {
    const row = rows.insertRow()
    cell(row, title ?? '–')
    cell(row, agent)
    cell(row, workDir)
    cell(row, new Date(updatedAt).toLocaleString())
    cell(row, id)
  }
  document.getElementById('list').hidden = body.items.length === 0
}
document.getElementById('out').addEventListener('click', async () => {
  await fetch('/api/logout', { method: 'POST', headers })
  localStorage.removeItem('reprise-csrf')
  document.getElementById('list').hidden = true
  say('Signed out.')
})
show().catch(() => say('The daemon does not answer.'))
`

export const HOME_POLICY = contentPolicyOf({ style: STYLE, script: SCRIPT })

export const HOME_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Reprise</title>
<style>${STYLE}</style>
<header><h1>Reprise</h1><a href="/docs">HTTP API</a><button id="out" type="button">Sign out</button></header>
<p id="state" role="status">Loading …</p>
<table id="list" hidden>
<thead><tr><th>Title</th><th>Agent</th><th>Work dir</th><th>Changed</th><th>Thread</th></tr></thead>
<tbody id="threads"></tbody>
</table>
<script>${SCRIPT}</script>
</html>
`
