// Every command in README.md and docs/ is run: each page in a world of its own, in order, with the fake agent as `claude`.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AGENT_SCRIPT } from './agent-script.ts'
import { NOT_RUN } from './not-run.ts'
import { type Block, blocksOf, type Command, commandsOf, fileNameOf } from './page-blocks.ts'
import { PageWorld, ROOT } from './page-world.ts'
import { type Bindings, differs } from './shown-output.ts'

const SHELL = new Set(['sh', 'bash', 'shell', 'console'])
const PAGES = globSync(['README.md', 'docs/*.md'], { cwd: ROOT }).toSorted()
const blocksIn = (page: string) => blocksOf(readFileSync(join(ROOT, page), 'utf8'))
const pagesWithCommands = PAGES.filter(page =>
  blocksIn(page).some(({ language }) => SHELL.has(language)),
)

test.concurrent.each(pagesWithCommands)('U-1 the commands of %s work as they stand', async page => {
  const world = await new PageWorld().open(AGENT_SCRIPT)
  try {
    const bindings: Bindings = new Map()
    for (const block of blocksIn(page)) await take(block, { page, world, bindings })
  } finally {
    await world.close()
  }
})

type Place = {
  readonly page: string
  readonly world: PageWorld
  readonly bindings: Bindings
}

async function take(block: Block, place: Place): Promise<void> {
  const name = fileNameOf(block)
  if (name !== null) place.world.write(name, block.text)
  if (!SHELL.has(block.language)) return
  for (const command of commandsOf(block)) await check(command, place)
}

async function check(command: Command, { page, world, bindings }: Place): Promise<void> {
  const text = [...bindings].reduce((soFar, [id, real]) => soFar.replaceAll(id, real), command.text)
  const { code, out } = await world.run(text)
  const where = `${page}:${command.line}: ${text}`
  if (code !== command.exitCode) throw new Error(`${where}\nended with ${code}:\n${out}`)
  if (command.shows === null) return
  const printed = out.replaceAll(world.workDir, '/home/me/server')
  const difference = differs(command.shows, printed, bindings)
  if (difference !== null) throw new Error(`${where}\n${difference}`)
}

test('every command that is not run stands on a page', () => {
  const commands = pagesWithCommands.flatMap(page =>
    blocksIn(page)
      .filter(({ language }) => SHELL.has(language))
      .flatMap(block => commandsOf(block).map(({ text }) => text)),
  )
  const unused = Object.keys(NOT_RUN).filter(call => !commands.some(text => text.includes(call)))
  expect(unused).toEqual([])
})
