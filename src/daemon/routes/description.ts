// The API's own description: OpenAPI for programs, one plain page for people. The page loads nothing from elsewhere.
import type { OpenAPIHono } from '@hono/zod-openapi'
import { contentPolicyOf } from '../browser/content-security-policy.ts'
import { openApiDocument } from '../contract/document.ts'
import { ROUTES } from '../contract/routes/routes.ts'

const STYLE = `body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}
code{font-family:ui-monospace,monospace}td{padding:.2rem .8rem .2rem 0;vertical-align:top}`

const POLICY = contentPolicyOf({ style: STYLE })

export function descriptionRoutes(app: OpenAPIHono, version: string): void {
  app.openapi(ROUTES.openApi, c => c.json(openApiDocument(version), 200))
  app.openapi(ROUTES.docs, c => {
    c.header('content-security-policy', POLICY)
    return c.html(page(version), 200)
  })
}

function page(version: string): string {
  const { paths = {} } = openApiDocument(version)
  const rows = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { summary }]: [string, { summary?: string }]) => {
      const name = `<code>${method.toUpperCase()} ${escaped(path)}</code>`
      return `<tr><td>${name}</td><td>${escaped(summary ?? '')}</td></tr>`
    }),
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Reprise HTTP API</title>
<style>${STYLE}</style><h1>Reprise HTTP API ${escaped(version)}</h1>
<p>Send <code>Authorization: Bearer &lt;token&gt;</code>. Bodies are JSON. The whole contract: <a href="/openapi.json">/openapi.json</a>.</p>
<table>${rows.join('\n')}</table></html>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
