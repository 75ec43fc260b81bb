// TypeScript of the documents and of doc comments, as files that a compiler and Node can take.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as reprise from '../../../src/index.ts'
import * as testing from '../../../src/testing/index.ts'
import { blocksOf, commandsOf, exampleOf, fileNameOf } from './page-blocks.ts'
import { ROOT } from './page-world.ts'

export type Code = {
  /** Where it stands. */
  readonly place: string
  readonly text: string
  /** `run`: a whole program; `part`: a piece of one; `elsewhere`: an example, or what a command of the page runs. */
  readonly kind: 'run' | 'part' | 'elsewhere'
}

const PAGES = ['README.md', 'docs/*.md']

export function codeOfPages(): readonly Code[] {
  return globSync(PAGES, { cwd: ROOT })
    .toSorted()
    .flatMap(page => {
      const blocks = blocksOf(readFileSync(join(ROOT, page), 'utf8'))
      const commands = blocks
        .filter(({ language }) => ['sh', 'console'].includes(language))
        .flatMap(block => commandsOf(block).map(({ text }) => text))
      return blocks
        .filter(({ language }) => ['ts', 'typescript'].includes(language))
        .map((block): Code => {
          const name = fileNameOf(block)
          const isRunElsewhere =
            exampleOf(block) !== null ||
            (name !== null && commands.some(text => text.includes(name)))
          const kind = isWhole(block.text) ? 'run' : 'part'
          return {
            place: `${page}:${block.line}`,
            text: block.text,
            kind: isRunElsewhere ? 'elsewhere' : kind,
          }
        })
    })
}

/** The examples in doc comments of the sources. */
export function codeOfComments(): readonly Code[] {
  return globSync('src/**/*.ts', { cwd: ROOT })
    .toSorted()
    .flatMap(path => {
      const source = readFileSync(join(ROOT, path), 'utf8')
      return [...source.matchAll(/^ *\* ```ts\n([\s\S]*?)^ *\* ```$/gm)].map(
        ({ 1: text = '', index }): Code => ({
          place: `${path}:${source.slice(0, index).split('\n').length}`,
          text: text.replace(/^ *\* ?/gm, ''),
          kind: 'part',
        }),
      )
    })
}

function isWhole(text: string): boolean {
  return /^import .* from 'reprise/m.test(text) && /\b(?:createReprise|connectReprise)\(/.test(text)
}

/** What pieces of programs may use without a declaration: every value of the package, and what these usually call so. */
export function declarations(): string {
  const values = (from: string, names: object) =>
    Object.keys(names).map(name => `  const ${name}: typeof import('${from}').${name}`)
  return [
    'export {}',
    'declare global {',
    ...values('reprise', reprise),
    ...values('reprise/testing', testing),
    "  const reprise: import('reprise').Reprise",
    "  const thread: import('reprise').Thread",
    "  const history: import('reprise').ConversationHistory",
    "  const facts: import('reprise').Facts",
    "  const settings: import('reprise').ResumeSettings",
    "  const sdk: typeof import('@anthropic-ai/claude-agent-sdk')",
    '  const sdkSessionId: string | undefined',
    '  const runId: string',
    '  const jobId: string',
    '  const directory: string',
    // Of a browser, for code of pages.
    '  const document: { readonly body: { append(text: string): void } }',
    '  class EventSource {',
    '    constructor(url: string)',
    '    onmessage: (event: { readonly data: string }) => void',
    '    close(): void',
    '  }',
    '}',
    '',
  ].join('\n')
}
