// Every command that an error, a hint, another text of the sources or a document names is one of the CLI, with the flags it has.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readSources } from './imports.ts'

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Each command of docs/cli.md, which is made from the program, with its flags: `threads retry` → `--json`, … */
function readCommands(page: string): ReadonlyMap<string, ReadonlySet<string>> {
  const sections = page.split(/^#{2,3} reprise /m).slice(1)
  return new Map(
    sections.map(section => {
      const [name = ''] = section.split('\n', 1)
      return [name.trim(), new Set([...section.matchAll(/--?[a-z][a-z-]*/g)].map(([flag]) => flag))]
    }),
  )
}

const COMMANDS = readCommands(readFileSync(root('docs/cli.md'), 'utf8'))
const GLOBAL_FLAGS: ReadonlySet<string> = new Set([
  '--help',
  '--version',
  '--json',
  '--no-daemon',
  '--token-file',
])
const NAMED = /`reprise ([^`]+)\\?`|\breprise ((?:[a-z]+ )?[a-z]+ \$\{[^`\n]*)/g

/** Its message begins with the name of the program. */
const NOT_A_COMMAND = 'node-version.ts'

/** What is wrong with a command such as `jobs retry ${id} --fresh`; `null` when the CLI has it. */
function wrongWith(words: readonly string[]): string | null {
  const [verb = '', next = ''] = words
  if (GLOBAL_FLAGS.has(verb)) return words.length === 1 ? null : wrongWith(words.slice(1))
  const isGroup = [...COMMANDS.keys()].some(name => name.startsWith(`${verb} `))
  const name = isGroup && COMMANDS.has(`${verb} ${next}`) ? `${verb} ${next}` : verb
  if (!COMMANDS.has(name)) return `there is no command ${name}`
  if (isGroup && name === verb && /^[a-z]+$/.test(next)) return `${verb} has no command ${next}`
  // A group alone is its list.
  const flags = COMMANDS.get(isGroup && name === verb ? `${verb} ls` : name) ?? new Set()
  const unknown = words.find(
    word => word.startsWith('-') && !flags.has(word) && !GLOBAL_FLAGS.has(word),
  )
  return unknown ? `${name} has no flag ${unknown}` : null
}

function commandsIn(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(NAMED)].map(([, quoted, plain = '']) =>
    (quoted ?? plain)
      .split(/[\s.,;:)'\\]+/)
      .filter(word => /^(?:--?)?[a-z][a-z-]*$/.test(word) || word.startsWith('$')),
  )
}

test('U-4 the texts of the sources name only commands and flags that the CLI has', () => {
  const found = readSources(root('src'))
    .filter(({ path }) => !path.endsWith('.test.ts') && path !== NOT_A_COMMAND)
    .flatMap(({ path, text }) =>
      commandsIn(text).map(words => ({ path, words, wrong: wrongWith(words) })),
    )
  expect(found.length).toBeGreaterThan(100)
  const wrong = found.filter(({ wrong }) => wrong !== null)
  expect(wrong.map(({ path, words, wrong }) => `${path}: ${words.join(' ')}: ${wrong}`)).toEqual([])
})

test('U-4 the dashboard names only commands and flags that the CLI has', () => {
  const found = globSync('web/**/*.tsx', { cwd: root('.') }).flatMap(path => {
    const text = readFileSync(root(path), 'utf8')
    const named = [...text.matchAll(/["'>]reprise ((?:[a-z-]+ ?)+)/g)]
    return named.map(([, words = '']) => ({ path, words: words.trim().split(' ') }))
  })
  expect(found.length).toBeGreaterThan(10)
  const wrong = found.flatMap(({ path, words }) => {
    const problem = wrongWith(words)
    return problem ? [`${path}: ${words.join(' ')}: ${problem}`] : []
  })
  expect(wrong).toEqual([])
})

test('U-4 the documents name only commands and flags that the CLI has', () => {
  const pages = globSync(['*.md', 'docs/*.md'], { cwd: root('.') })
  const found = pages.flatMap(path =>
    commandsIn(inlineCode(readFileSync(root(path), 'utf8'))).map(words => ({ path, words })),
  )
  expect(found.length).toBeGreaterThan(50)
  const wrong = found.flatMap(({ path, words }) => {
    const problem = wrongWith(words)
    return problem ? [`${path}: ${words.join(' ')}: ${problem}`] : []
  })
  expect(wrong).toEqual([])
})

/** Without fenced blocks, whose commands a test runs. */
function inlineCode(page: string): string {
  return page.replace(/^```[\s\S]*?^```$/gm, '')
}

test.each([
  [`reprise jobs retry \${id}`, null],
  ['`reprise threads`', null],
  ['`reprise escalate --budget`', null],
  ['`reprise threads --json`', null],
  ['`reprise jobs resume`', 'jobs has no command resume'],
  ['`reprise hobs`', 'there is no command hobs'],
  ['`reprise escalate --price`', 'escalate has no flag --price'],
])('of %s it says %j', (text, wrong) => {
  expect(commandsIn(text).map(wrongWith)).toEqual([wrong])
})
