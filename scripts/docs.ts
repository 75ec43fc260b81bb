// Writes the generated pages of docs/ from the code and the test titles; with --check it only says whether they are up to date.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cliPage } from './cli-page.ts'
import { decisionsPage } from './decisions-page.ts'
import { eventsPage } from './events-page.ts'
import { httpPage } from './http-page.ts'
import { withExamples } from './included-examples.ts'
import { withProven } from './proven-table.ts'
import { checkRequirements, requirementsPage, type TextFile } from './requirements.ts'
import { retriesPage } from './retries-page.ts'

const HAS_MADE_PARTS = /^\/\/ examples\/|^<!-- end of proven/m
const REQUIREMENTS = 'docs/requirements.md'
const requirements = read(REQUIREMENTS)
const tests = readTests()

const PAGES = {
  'docs/cli.md': cliPage(),
  'docs/decisions.md': decisionsPage(),
  'docs/events.md': eventsPage(),
  'docs/http-api.md': httpPage(),
  [REQUIREMENTS]: requirementsPage(requirements, tests),
  'docs/retries.md': retriesPage(),
  ...pagesWithExamples(),
}

const check = process.argv.includes('--check')
for (const [name, wanted] of Object.entries(PAGES)) {
  if (check) compare(name, wanted, read(name))
  else write(name, wanted)
}
for (const problem of checkRequirements(requirements, tests)) {
  console.error(`error: ${problem}`)
  process.exitCode = 1
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

/** Pages that people write, with the examples and tables that they show as these stand now. */
function pagesWithExamples(): Readonly<Record<string, string>> {
  const pages = globSync(['README.md', 'docs/*.md'], { cwd: pathOf('.') }).toSorted()
  const written = pages.map(name => [name, withProven(withExamples(read(name), read))] as const)
  return Object.fromEntries(written.filter(([, text]) => HAS_MADE_PARTS.test(text)))
}

/** Tests beside the code, the suites that users run on their own adapters and stores, and everything in test/. */
function readTests(): readonly TextFile[] {
  return globSync(
    [
      'test/**/*.ts',
      'src/**/*.test.ts',
      'src/testing/**/*conformance*/**/*.ts',
      'src/testing/*conformance*.ts',
    ],
    {
      cwd: pathOf('.'),
      exclude: ['**/node_modules/**'],
    },
  )
    .toSorted()
    .map(path => ({ path, text: read(path) }))
}

function write(name: string, text: string): void {
  mkdirSync(pathOf('docs'), { recursive: true })
  writeFileSync(pathOf(name), text)
}

function read(name: string): string {
  try {
    return readFileSync(pathOf(name), 'utf8')
  } catch {
    // Not there yet: everything differs.
    return ''
  }
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url))
}
