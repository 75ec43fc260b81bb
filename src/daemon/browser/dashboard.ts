// The files of the dashboard, as `npm run build` made them. They hold no data: the script asks the API for it.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { RepriseError } from '../../errors.ts'

export type Asset = { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }

export type Dashboard = {
  /** The Content-Security-Policy of its document. */
  readonly policy: string
  document(): Promise<string>
  /** Throws `not-found`. */
  asset(name: string): Promise<Asset>
}

/** Only files of this daemon run and load; no text becomes a script, also where a browser would allow it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/** From dist/daemon/browser or a chunk of the bundle; and from src/daemon/browser in a clone. */
const PLACES = ['../../web/', '../../../dist/web/']

export function dashboard(directory?: URL): Dashboard {
  const places = directory ? [directory] : PLACES.map(place => new URL(place, import.meta.url))
  const kept = new Map<string, Promise<Asset>>()
  return {
    policy: POLICY,
    document: async () => (await read(places, 'index.html', notBuilt)).toString('utf8'),
    asset: name => {
      const asset = kept.get(name) ?? readAsset(places, name)
      // A name that does not exist must not stay in memory.
      asset.then(() => kept.set(name, asset)).catch(() => {})
      return asset
    },
  }
}

async function readAsset(places: readonly URL[], name: string): Promise<Asset> {
  const type = TYPES[name.split('.').at(-1) ?? '']
  if (type === undefined) throw noAsset(name)
  const bytes = await read(places, `assets/${name}`, () => noAsset(name))
  return { type, bytes: new Uint8Array(bytes) }
}

async function read(
  places: readonly URL[],
  path: string,
  missing: () => RepriseError,
): Promise<Buffer> {
  for (const place of places) {
    try {
      return await readFile(fileURLToPath(new URL(path, place)))
    } catch {
      // Not there: the next place.
    }
  }
  throw missing()
}

function notBuilt(): RepriseError {
  return new RepriseError(
    'not-found',
    'the dashboard is not part of this build',
    'Run `npm run build`, then load the page again.',
  )
}

function noAsset(name: string): RepriseError {
  return new RepriseError('not-found', `the dashboard has no file ${name}`, 'Reload the page.')
}
