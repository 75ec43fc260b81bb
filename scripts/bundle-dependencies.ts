// After tsc: puts each pure-JavaScript dependency into one file in dist/vendor and points dist at it.
// Loading kysely's three hundred files took more than half of the start of every verb.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

// Not `yaml`: it is CommonJS, whose names a bundle would lose.
const PACKAGES = ['commander', 'kysely', 'zod']
const DIST = fileURLToPath(new URL('../dist', import.meta.url))
const VENDOR = join(DIST, 'vendor')

mkdirSync(VENDOR, { recursive: true })
for (const name of PACKAGES) await bundle(name)
for (const path of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
  if (path.endsWith('.js') && !path.startsWith('vendor')) redirect(path)
}

async function bundle(name: string): Promise<void> {
  const entry = fileURLToPath(import.meta.resolve(name))
  await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: entry,
      outDir: VENDOR,
      emptyOutDir: false,
      minify: false,
      target: 'node22',
      rolldownOptions: { output: { entryFileNames: `${name}.js` } },
    },
    ssr: { noExternal: true },
  })
  const license = fileURLToPath(new URL(`../node_modules/${name}/LICENSE`, import.meta.url))
  copyFileSync(license, join(VENDOR, `${name}.LICENSE`))
}

/** Imports of the packages by name become imports of the files. */
function redirect(path: string): void {
  const file = join(DIST, path)
  const text = readFileSync(file, 'utf8')
  const up = '../'.repeat(path.split('/').length - 1) || './'
  const names = new RegExp(`\\bfrom '(${PACKAGES.join('|')})'`, 'g')
  const redirected = text.replace(names, (_, name) => `from '${up}vendor/${name}.js'`)
  if (redirected !== text) writeFileSync(file, redirected)
}
