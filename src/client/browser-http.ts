// Sends requests to the daemon that served the page: the browser brings the cookie, and the page its key.
import { FILE_TYPE, KEY_HEADER } from '../daemon/contract/scope.ts'
import type { AwayNotice } from './away.ts'
import { type Asking, errorOf, type FileHttp, type Http, reach, requestAddress } from './http.ts'

export type PageOptions = {
  /** The origin of the page. */
  readonly origin: string
  /** What the sign-in gave this page. */
  readonly key: () => string
  /** Called when the daemon goes away while a call waits for it, and when it is back. */
  readonly onAway?: (notice: AwayNotice) => void
}

export function createBrowserHttp({
  origin,
  key,
  onAway = () => {},
}: PageOptions): Http & FileHttp {
  const base = new URL(origin)

  const jsonOf = async <T>(response: Response) => {
    const text = await reach(base, () => response.text())
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  const send = async (
    method: string,
    path: string,
    { file, ...asking }: Asking & { readonly file?: Blob },
  ): Promise<Response> => {
    const { body, signal } = asking
    const response = await reach(base, () =>
      fetch(requestAddress(base, path, asking.query), {
        method,
        headers: {
          [KEY_HEADER]: key(),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(file && { 'content-type': FILE_TYPE }),
          ...asking.headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(file && { body: file }),
        ...(signal && { signal }),
        redirect: 'error',
      }),
    )
    if (response.ok) return response
    throw errorOf(response.status, await reach(base, () => response.text()))
  }

  return {
    onAway,
    open: async (path, asking = {}) => piecesOf(base, await send('GET', path, asking)),
    download: async (path, asking = {}) => {
      const response = await send('GET', path, asking)
      const bytes = Number(response.headers.get('content-length') ?? 0)
      return { bytes, content: piecesOf(base, response) }
    },
    // Not every browser can send a stream.
    upload: async <T>(path: string, content: AsyncIterable<Uint8Array>, asking: Asking = {}) => {
      const pieces: Uint8Array<ArrayBuffer>[] = []
      for await (const piece of content) pieces.push(new Uint8Array(piece))
      return jsonOf<T>(await send('POST', path, { ...asking, file: new Blob(pieces) }))
    },
    ask: async <T>(method: string, path: string, asking: Asking = {}) =>
      jsonOf<T>(await send(method, path, asking)),
  }
}

/** Not every browser can iterate over a stream. */
async function* piecesOf(base: URL, { body }: Response): AsyncGenerator<Uint8Array, void> {
  if (body === null) return
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reach(base, () => reader.read())
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
