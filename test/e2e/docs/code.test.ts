// TypeScript in README.md, docs/ and doc comments compiles as a user's code does; whole programs run with the fake agent.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { AGENT_SCRIPT } from './agent-script.ts'
import { codeOfComments, codeOfPages, declarations } from './code-blocks.ts'
import { PageWorld, ROOT } from './page-world.ts'

const SETTINGS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
  target: 'es2024',
  lib: ['es2024', 'esnext.array', 'esnext.iterator', 'esnext.disposable'],
  module: 'nodenext',
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules/@types')],
}

const code = [...codeOfPages(), ...codeOfComments()]

test('U-1 the TypeScript of the documents and of doc comments compiles', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'reprise-code-'))
  try {
    mkdirSync(join(directory, 'node_modules'))
    symlinkSync(ROOT, join(directory, 'node_modules/reprise'))
    symlinkSync(
      join(ROOT, 'test/real-agents/node_modules/@anthropic-ai'),
      join(directory, 'node_modules/@anthropic-ai'),
    )
    for (const [index, { text }] of code.entries()) {
      writeFileSync(join(directory, `${index}.ts`), `${text}\nexport {}\n`)
    }
    writeFileSync(join(directory, 'names.d.ts'), declarations())
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
    writeFileSync(
      join(directory, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: SETTINGS, include: ['*.ts'] }),
    )
    expect(await compile(directory)).toEqual([])
  } finally {
    rmSync(directory, { recursive: true })
  }
})

/** Each error with the place of the code on its page. */
async function compile(directory: string): Promise<readonly string[]> {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', directory]).catch(
    error => error as { readonly stdout: string },
  )
  const lines = stdout.split('\n').filter(line => line !== '')
  return lines.map(line =>
    line.replace(/^.*?(\d+)\.ts\((\d+),\d+\)/, (_, index, at) => {
      return `${code[Number(index)]?.place} + ${at}`
    }),
  )
}

test.concurrent.each(code.filter(({ kind }) => kind === 'run').map(one => [one.place, one.text]))(
  'U-1 the program at %s runs',
  async (place, text) => {
    const world = await new PageWorld().open(AGENT_SCRIPT)
    try {
      world.write('program.ts', text)
      const { code, out } = await world.run('node program.ts')
      expect({ place, code, out }).toEqual({ place, code: 0, out: expect.any(String) })
    } finally {
      await world.close()
    }
  },
)
