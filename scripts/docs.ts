// Writes docs/cli.md, docs/decisions.md, docs/http-api.md and docs/retries.md from the code; with --check only tells whether they are up to date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cliPage } from './cli-page.ts'
import { decisionsPage } from './decisions-page.ts'
import { httpPage } from './http-page.ts'
import { retriesPage } from './retries-page.ts'

const PAGES = {
  'docs/cli.md': cliPage(),
  'docs/decisions.md': decisionsPage(),
  'docs/http-api.md': httpPage(),
  'docs/retries.md': retriesPage(),
}

const check = process.argv.includes('--check')
for (const [name, wanted] of Object.entries(PAGES)) {
  const path = fileURLToPath(new URL(`../${name}`, import.meta.url))
  if (check) compare(name, wanted, read(path))
  else write(path, wanted)
}

function compare(name: string, wanted: string, found: string): void {
  if (wanted === found) return
  const lines = found.split('\n')
  const at = wanted.split('\n').findIndex((line, index) => line !== lines[index])
  console.error(`error: ${name} is not what the code says, from line ${at + 1} on`)
  console.error(`  file  ${lines[at] ?? '(nothing)'}`)
  console.error(`  code  ${wanted.split('\n')[at] ?? '(nothing)'}`)
  console.error('hint: run `npm run docs` and commit the result')
  process.exitCode = 1
}

function write(path: string, text: string): void {
  mkdirSync(new URL('../docs', import.meta.url), { recursive: true })
  writeFileSync(path, text)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Not there yet: everything differs.
    return ''
  }
}
