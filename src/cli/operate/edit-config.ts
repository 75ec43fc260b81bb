// reprise config edit: opens the user's config in an editor, as a copy that takes the place of the file only when it is valid.
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { problemsOfFile } from '../../config/check-config.ts'
import { homeDirectory, prepareHome } from '../../config/home.ts'
import { createPrivate } from '../../daemon/process/private-file.ts'
import { RepriseError } from '../../errors.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { openEditor } from '../open/open-editor.ts'
import { runningDaemon } from '../open/running-daemon.ts'
import type { Io } from '../start/io.ts'
import { canAsk } from '../view/confirm.ts'
import { printJson, printLine } from '../view/print.ts'
import { printProblems, userPath } from './config.ts'

const EMPTY = `# The config of Reprise. Every setting has a default; \`reprise config show\` prints them all.
# agents:
#   claude-code: { executable: claude }
# resume: { contextThreshold: 0.8 }
`

export async function editConfig(io: Io, flags: JsonFlag): Promise<number> {
  prepareHome(homeDirectory(io.env))
  const path = realPath(userPath(io))
  const before = existsSync(path) ? readFileSync(path, 'utf8') : null
  const copy = join(dirname(path), `config.edit-${process.pid}.yaml`)
  rmSync(copy, { force: true })
  createPrivate(copy, before ?? EMPTY)
  await editUntilValid(io, copy, flags)
  const after = readFileSync(copy, 'utf8')
  if (after === (before ?? EMPTY)) {
    rmSync(copy)
    return report(io, { path, changed: false }, flags)
  }
  refuseOtherChange(path, before, copy)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  renameSync(copy, path)
  report(io, { path, changed: true }, flags)
  if (runningDaemon(io) !== null) {
    io.stderr.write(
      'the daemon read its config when it started: `reprise stop`, then `reprise serve`\n',
    )
  }
  return 0
}

/** A link stays a link: people keep their config in another directory, under version control. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}

async function editUntilValid(io: Io, copy: string, flags: JsonFlag): Promise<void> {
  for (;;) {
    await openEditor(io, copy)
    const problems = problemsOfFile(copy, 'user')
    if (problems.length === 0) return
    if (!flags.json) printProblems(io, problems)
    if (canAsk(io, flags) && (await wantsAgain(io))) continue
    const [first] = problems
    const hint = `The config is as it was. Your version is in ${copy}: correct it and move it there, or remove it.`
    throw new RepriseError('bad-config', `line ${first?.line ?? 1}: ${first?.message}`, hint)
  }
}

async function wantsAgain(io: Io): Promise<boolean> {
  const { openTerminal } = await import('../chat/terminal.ts')
  const typed = await openTerminal(io).ask('Edit it again? [Y/n] ')
  return typed.kind === 'line' && !/^no?$/i.test(typed.text.trim())
}

function refuseOtherChange(path: string, before: string | null, copy: string): void {
  const now = existsSync(path) ? readFileSync(path, 'utf8') : null
  if (now === before) return
  const hint = `Your version is in ${copy}: compare the two, and put the right one in place.`
  throw new RepriseError('conflict', `${path} was changed by somebody else meanwhile`, hint)
}

type Edited = { readonly path: string; readonly changed: boolean }

function report(io: Io, edited: Edited, flags: JsonFlag): number {
  if (flags.json) printJson(io, edited)
  else
    printLine(io, edited.changed ? `${edited.path} is in place` : `${edited.path} stays as it was`)
  return 0
}
