// Checks that nothing an agent needs is in the directory that its sandbox hides.
import { accessSync, constants } from 'node:fs'
import type { Command } from '../../adapters/adapter.ts'
import { RepriseError } from '../../errors.ts'
import { startError } from '../start-errors.ts'
import type { Containment } from './contain.ts'
import { realDirectory } from './sandboxes.ts'

/** Such as HOME and CLAUDE_CONFIG_DIR: the agent would lose what it keeps there. */
const NAMES_A_DIRECTORY = /(^|_)(HOME|DIR)$/

/** The containment with real paths. Throws before anything is started. */
export function checkContained(command: Command, containment: Containment): Containment {
  const hidden = realDirectory(containment.hidden)
  const isHidden = (path: string) => path === hidden || path.startsWith(`${hidden}/`)
  const { writableDir, readableDirs = [] } = containment
  const isShown = writableDir !== undefined && realDirectory(writableDir) === command.workDir
  if (isHidden(command.workDir) && !isShown) throw inTheWay('the work dir', command.workDir, hidden)
  if (isHidden(command.file)) throw inTheWay('the agent', command.file, hidden)
  for (const [name, value] of Object.entries(command.env)) {
    if (NAMES_A_DIRECTORY.test(name) && isHidden(value))
      throw inTheWay(`the variable ${name}`, value, hidden)
  }
  assertExecutable(command.file)
  return {
    ...containment,
    hidden,
    readable: realPaths(containment, hidden),
    readableDirs: readableDirs.map(realDirectory),
    ...(isShown && { writableDir: command.workDir }),
  }
}

/** Whether a path is below the real path of the data directory, also by another name. */
function realPaths({ hidden: asked, readable }: Containment, hidden: string): readonly string[] {
  const unique = [...new Set(readable)]
  return unique.map(path =>
    path.startsWith(`${asked}/`) ? hidden + path.slice(asked.length) : path,
  )
}

/** Checked here, because a sandbox would only say that the program inside ended with 127. */
function assertExecutable(file: string): void {
  try {
    accessSync(file, constants.X_OK)
  } catch (error) {
    throw startError(file, error)
  }
}

function inTheWay(what: string, path: string, hidden: string): RepriseError {
  return new RepriseError(
    'bad-input',
    `${what} leads to ${path}, but a sandbox hides the data directory ${hidden}`,
    'Move it out of the data directory, or use `--sandbox none`.',
  )
}
