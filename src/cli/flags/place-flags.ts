// Where the work of a new thread, chain or job happens: in a directory, or in a repository that any host checks out.
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { WorkPlace } from '../../core/run/workspace.ts'
import { RepriseError } from '../../errors.ts'
import type { Io } from '../start/io.ts'

export type PlaceFlags = {
  readonly cwd?: string
  readonly repository?: string
  readonly ref?: string
}

export function addRepositoryFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--repository <url>',
        'work in this git repository instead of a directory: whichever host runs it makes a work tree of its own',
      ).conflicts('cwd'),
    )
    .option(
      '--ref <ref>',
      'the branch, tag or commit of --repository (default: its default branch)',
    )
}

export function workPlaceOf(io: Io, { cwd, repository, ref }: PlaceFlags): WorkPlace {
  if (repository === undefined) {
    if (ref === undefined) return { workDir: resolve(io.cwd, cwd ?? '.') }
    const hint = 'Give --repository as well.'
    throw new RepriseError('bad-input', '--ref says nothing without --repository', hint)
  }
  const isRelative = /^\.\.?(\/|$)/.test(repository)
  const address = isRelative ? resolve(io.cwd, repository) : repository
  return { workspace: { repository: address, ...(ref !== undefined && { ref }) } }
}
