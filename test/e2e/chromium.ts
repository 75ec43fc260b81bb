// A real Chromium from the registry, unpacked into a directory of its own: nothing is downloaded, nothing of the system is used.
import { execFileSync } from 'node:child_process'
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, createBrotliDecompress } from 'node:zlib'
import { type Browser, chromium } from 'playwright-core'

const PACKED = fileURLToPath(new URL('../../node_modules/@sparticuz/chromium/bin', import.meta.url))

// Not the flags that the package itself proposes: they switch off what these tests are about.
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export type OpenBrowser = { readonly browser: Browser; close(): Promise<void> }

export async function openChromium(flags: readonly string[] = []): Promise<OpenBrowser> {
  const root = mkdtempSync(join(tmpdir(), 'reprise-chromium-'))
  const executablePath = join(root, 'chromium')
  await unpack(executablePath)
  const libraries = unpackTar('al2023', root)
  const fonts = unpackTar('fonts', root)
  const fontConfig = join(root, 'fonts.conf')
  writeFileSync(
    fontConfig,
    `<fontconfig><dir>${fonts}</dir><cachedir>${root}</cachedir></fontconfig>`,
  )
  const browser = await chromium.launch({
    executablePath,
    args: [...FLAGS, ...flags],
    // Its own copies of NSS and its like, and a font: a bare Debian has none, and text without one has no size.
    env: {
      HOME: root,
      PATH: process.env.PATH ?? '',
      LD_LIBRARY_PATH: join(libraries, 'lib'),
      FONTCONFIG_FILE: fontConfig,
    },
  })
  return {
    browser,
    close: async () => {
      await browser.close()
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function unpack(to: string): Promise<void> {
  const packed = createReadStream(join(PACKED, 'chromium.br'))
  return pipeline(packed, createBrotliDecompress(), createWriteStream(to, { mode: 0o700 }))
}

function unpackTar(name: string, root: string): string {
  const to = join(root, name)
  mkdirSync(to)
  const tar = brotliDecompressSync(readFileSync(join(PACKED, `${name}.tar.br`)))
  execFileSync('tar', ['-x', '-C', to], { input: tar })
  return to
}
