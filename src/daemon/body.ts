// Reads a body once, bounded in bytes and depth, before anything parses it.
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { RepriseError } from '../errors.ts'
import { needsOf } from './contract/routes/routes.ts'

const LARGE_BYTES = 5 * 1024 * 1024
const SMALL_BYTES = 64 * 1024
/** A request of these methods cannot be made with a body. */
const WITHOUT_BODY = ['GET', 'HEAD', 'TRACE']
/** Our own bodies are three levels deep. Deep nesting overflows the stack of recursive code. */
const MAX_DEPTH = 64

/** Prompts, edits, instructions and conversations may be long; nothing else is. */
const LARGE_PATHS = /^\/api\/threads\/(?:adopt$|[^/]+\/(?:turns|preview|messages\/))/

/** A file is read by its route, piece by piece, and bounded there. */
export function takesBytes(c: Context): boolean {
  return matchedRoutes(c).some(({ method, path }) => needsOf(method, path)?.bytes === true)
}

export function boundedBody(): MiddlewareHandler {
  return async (c, next) => {
    if (!WITHOUT_BODY.includes(c.req.method) && !takesBytes(c)) {
      const text = await readText(c, LARGE_PATHS.test(c.req.path) ? LARGE_BYTES : SMALL_BYTES)
      checkJson(text)
      const headers = new Headers(c.req.raw.headers)
      headers.set('content-type', 'application/json')
      // A missing body means the same as an empty object.
      c.req.raw = new Request(c.req.raw, { headers, body: text === '' ? '{}' : text })
    }
    await next()
  }
}

async function readText(c: Context, maxBytes: number): Promise<string> {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of c.req.raw.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw notJson('it is not UTF-8')
  }
}

function checkJson(text: string): void {
  if (text === '') return
  if (depthOf(text) > MAX_DEPTH) throw notJson(`it is nested deeper than ${MAX_DEPTH}`)
  try {
    JSON.parse(text)
  } catch (error) {
    throw notJson(error instanceof Error ? error.message : 'it cannot be parsed')
  }
}

/** Counts brackets outside strings in one pass, without parsing. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (inString && character === '\\') i++
    else if (character === '"') inString = !inString
    else if (inString) continue
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth)
    else if (character === '}' || character === ']') depth--
  }
  return deepest
}

function tooLarge(maxBytes: number): RepriseError {
  return new RepriseError(
    'too-large',
    `the body is larger than ${maxBytes} bytes`,
    'Put large content into a file in the work dir and name the file in the prompt.',
  )
}

function notJson(why: string): RepriseError {
  return new RepriseError(
    'bad-input',
    `the body is not usable JSON: ${why}`,
    'Send one JSON object.',
  )
}
