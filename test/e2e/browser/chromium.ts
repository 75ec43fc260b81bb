// A real Chromium from the registry, unpacked into a directory of the tests: nothing is downloaded, nothing of the system is used.
import { execFileSync } from 'node:child_process'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, createBrotliDecompress } from 'node:zlib'
import { type Browser, chromium } from 'playwright-core'

const PACKED = fileURLToPath(
  new URL('../../../node_modules/@sparticuz/chromium/bin', import.meta.url),
)

// Not the flags that the package itself proposes: they switch off what these tests are about.
const FLAGS = [
  '--no-sandbox',
  // Its helper for starting processes crashed now and then on a busy machine.
  '--no-zygote',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export type OpenBrowser = { readonly browser: Browser; close(): Promise<void> }

export async function openChromium(flags: readonly string[] = []): Promise<OpenBrowser> {
  const home = mkdtempSync(join(tmpdir(), 'reprise-chromium-'))
  // The directory of temporary files is that of the test run: its first browser unpacks the program for all.
  const program = process.env.VITEST ? join(tmpdir(), 'chromium') : join(home, 'program')
  await unpackOnce(program)
  const browser = await chromium.launch({
    executablePath: join(program, 'chromium'),
    args: [...FLAGS, ...flags],
    // Its own copies of NSS and its like, and a font: a bare Debian has none, and text without one has no size.
    env: {
      HOME: home,
      PATH: process.env.PATH ?? '',
      LD_LIBRARY_PATH: join(program, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(program, 'fonts.conf'),
    },
  })
  return {
    browser,
    close: async () => {
      await browser.close()
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Browsers that start at the same time wait for the one that unpacks. */
async function unpackOnce(directory: string): Promise<void> {
  const lock = `${directory}.lock`
  while (!existsSync(directory)) {
    if (isTaken(lock)) await sleep(50)
    else await unpackTo(directory).finally(() => rmdirSync(lock))
  }
}

function isTaken(lock: string): boolean {
  try {
    mkdirSync(lock)
    return false
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return true
    throw error
  }
}

/** The directory appears when everything is in it. */
async function unpackTo(directory: string): Promise<void> {
  const unpacked = mkdtempSync(`${directory}-`)
  await unpack(join(unpacked, 'chromium'))
  for (const name of ['al2023', 'fonts']) unpackTar(name, unpacked)
  const fonts = `<dir>${join(directory, 'fonts')}</dir><cachedir>${directory}</cachedir>`
  writeFileSync(join(unpacked, 'fonts.conf'), `<fontconfig>${fonts}</fontconfig>`)
  renameSync(unpacked, directory)
}

function unpack(to: string): Promise<void> {
  const packed = createReadStream(join(PACKED, 'chromium.br'))
  return pipeline(packed, createBrotliDecompress(), createWriteStream(to, { mode: 0o700 }))
}

function unpackTar(name: string, root: string): void {
  const to = join(root, name)
  mkdirSync(to)
  const tar = brotliDecompressSync(readFileSync(join(PACKED, `${name}.tar.br`)))
  execFileSync('tar', ['-x', '-C', to], { input: tar })
}
