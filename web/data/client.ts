// The Reprise behind this page: the same verbs as the library, over HTTP with the key of the sign-in.
import { createBrowserHttp } from '../../src/client/browser-http.ts'
import type { Query } from '../../src/client/http.ts'
import type { ListPage } from '../../src/client/list-all.ts'
import { remoteReprise } from '../../src/client/remote-reprise.ts'
import { keyOfPage } from '../browser/sign-in.ts'

export const http = createBrowserHttp({ origin: location.origin, key: keyOfPage })

export const reprise = remoteReprise(http)

/** A page of a list that also counts all that match. */
export type CountedPage<T> = ListPage<T> & { readonly total?: number }

/** Reads one page of a list. The verbs of `reprise` read several at once; a view shows them one by one. */
export function readPage<T>(
  path: string,
  query: Query,
  signal?: AbortSignal,
): Promise<CountedPage<T>> {
  // Without it, a list of events would be a stream of them.
  const headers = { accept: 'application/json' }
  return http.ask<CountedPage<T>>('GET', path, { query, headers, ...(signal && { signal }) })
}
