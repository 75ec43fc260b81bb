// Makes dist/cli a bundle: to load hundreds of modules takes longer than all that most verbs do.
// CommonJS, because Node loads it faster than ES modules: by a tenth of the time of `reprise threads`.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

const sqlite = dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'))
const dist = fileURLToPath(new URL('../dist', import.meta.url))
const bundled = join(dist, 'cli-bundle')

/**
 * What is needed together is one file: to find and open a small one takes longer than to run it, and a turn had to
 * find a dozen. The first group that reaches a module has it, so that nothing loads more than it needs.
 */
const GROUPS = [
  { name: 'start', test: /\/dist\/cli\/start\/(?:version|compile-cache)\.js$/, priority: 4 },
  { name: 'cli', test: /\/dist\/cli\/start\/(?:run-cli|process-io)\.js$/, priority: 3 },
  { name: 'turn', test: /\/dist\/cli\/verbs\/send\.js$/, priority: 2 },
  { name: 'store', test: /\/dist\/cli\/open\/open-reprise\.js$/, priority: 1 },
]

rmSync(bundled, { recursive: true, force: true })
const bundle = await rolldown({
  input: { main: join(dist, 'cli', 'main.js') },
  platform: 'node',
  plugins: [sqliteInside(), plainBuiltins()],
  // The fake agent is a program and is started by its path; what only the daemon needs is loaded once in its long life.
  external: [/^node:/, /\/testing\/fake-agent\//, /^@?hono(?:\/|$)/, 'pino', 'prom-client'],
})
const { output } = await bundle.write({
  dir: bundled,
  format: 'cjs',
  // Code that cli/start/compile-cache.ts loads cannot import.
  dynamicImportInCjs: false,
  entryFileNames: '[name].js',
  // One level down: where modules are that look for dist/cli/main.js from their own place.
  chunkFileNames: 'chunks/[name]-[hash].js',
  // Less to read at every start; names stay, so that a stack still says where it was.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  comments: false,
  codeSplitting: { groups: [...GROUPS] },
})
await bundle.close()
for (const file of output) if (file.type === 'chunk') writeAscii(join(bundled, file.fileName))
writeFileSync(join(bundled, 'package.json'), '{ "type": "commonjs" }\n')
writeFileSync(join(bundled, 'LICENSES.txt'), licences(output.flatMap(modulesOf)))
// What tsc made of src/cli is all in the bundle, and nobody imports it by another way.
rmSync(join(dist, 'cli'), { recursive: true })
renameSync(bundled, join(dist, 'cli'))

/**
 * The JavaScript of better-sqlite3 goes along: a dozen small files, which take longer to find than to run. Its binary
 * stays in its package, and who was not told where it is asks the package itself.
 */
function sqliteInside(): Plugin {
  const id = '\0better-sqlite3'
  const code = `
    const { createRequire } = require('node:module')
    const { dirname, join } = require('node:path')
    const outside = createRequire(__filename)
    const search = () => {
      const place = dirname(outside.resolve('better-sqlite3/package.json'))
      return outside(join(place, 'lib', 'binding.js')).getBinding()
    }
    const binding = path => (typeof path === 'string' ? outside(path) : search())
    module.exports = require(${JSON.stringify(join(sqlite, 'lib', 'database.js'))})(binding, true)
  `
  return {
    name: 'sqlite-inside',
    resolveId: source => (source === 'better-sqlite3' ? id : null),
    load: wanted => (wanted === id ? code : null),
  }
}

/** As imports, commander's builtins would be copied, property by property, at every start: a millisecond. */
function plainBuiltins(): Plugin {
  const builtin = /^import (\w+) from '(node:\w+)';$/gm
  const plain = (_: string, name: string, module: string) =>
    name === 'process' ? '' : `const ${name} = process.getBuiltinModule('${module}')`
  return {
    name: 'plain-builtins',
    transform: (code, id) =>
      id.endsWith('/commander/lib/command.js') ? code.replace(builtin, plain) : null,
  }
}

/** A text with one character beyond Latin-1 takes twice the memory and a fifth longer to load. */
function writeAscii(path: string): void {
  const code = readFileSync(path, 'utf8')
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  // Comments are gone: what is left stands in strings and patterns, where an escape means the same.
  writeFileSync(path, code.replace(/[^\0-\x7f]/g, escaped))
}

function modulesOf(file: (typeof output)[number]): readonly string[] {
  return file.type === 'chunk' ? file.moduleIds : []
}

/** The licence of every package that is in the bundle goes with it. */
function licences(modules: readonly string[]): string {
  const packages = modules.flatMap(id => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? [])
  return [...new Set(packages)].sort().map(licenceOf).join('\n\n')
}

function licenceOf(directory: string): string {
  const { name, version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  const file = readdirSync(directory).find(entry => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`${name} has no licence that could go with the bundle`)
  return `${name} ${version}\n\n${readFileSync(join(directory, file), 'utf8').trim()}\n`
}
