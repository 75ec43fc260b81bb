// Keeps a store of an earlier version for test/upgrades, written by the code of that version: node scripts/old-store.ts <commit>.
// To be called with the commit before a new migration; the store is what its code leaves after a short conversation.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const [commit = 'HEAD'] = process.argv.slice(2)
const root = join(import.meta.dirname, '..')
const stores = join(root, 'test', 'upgrades', 'stores')
const directory = mkdtempSync(join(tmpdir(), 'reprise-old-store-'))
try {
  const archive = execFileSync('git', ['archive', commit, 'src', 'package.json'], {
    cwd: root,
    maxBuffer: 256 * 1024 * 1024,
  })
  execFileSync('tar', ['-x', '-C', directory], { input: archive })
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  const file = join(directory, 'store.sqlite')
  const filler = join(root, 'test', 'upgrades', 'fill-store.ts')
  const printed = execFileSync(process.execPath, [filler, join(directory, 'src'), file])
  const version = String(printed).trim()
  mkdirSync(stores, { recursive: true })
  const kept = join(stores, `${version.padStart(3, '0')}.sqlite.gz`)
  writeFileSync(kept, gzipSync(readFileSync(file), { level: 9 }))
  console.log(`${commit}: version ${version}, ${kept}`)
} finally {
  rmSync(directory, { recursive: true })
}
