// What Reprise tells an agent about the files of a repository when its work goes on on another host.

export type ArrivedFiles = {
  /** When the state that was restored was kept; `null`: nothing was kept, and the files are those of the repository. */
  readonly at: number | null
  /** False when a later kept state could not be read. */
  readonly isWhole: boolean
  /** The work tree was made anew on this host. */
  readonly isNew: boolean
  /** Where an older work tree of this host is now. */
  readonly movedTo: string | null
  /** The run before this one died together with its host. */
  readonly diedSince: boolean
}

export function workspaceNews(arrived: ArrivedFiles): string {
  const { at, isWhole, isNew, movedTo, diedSince } = arrived
  const since = at === null ? 'the beginning' : new Date(at).toISOString()
  const sentences = [
    'This work goes on on another machine.',
    at === null
      ? 'The files are those of the repository.'
      : `The files and branches are as they were kept at ${since}.`,
    isWhole ? null : 'A later state was kept, but it could not be read.',
    isNew
      ? 'Files that git ignores, such as installed packages and build results, are not here.'
      : null,
    diedSince
      ? `What the interrupted run changed after ${since} is not here, whether it was committed or not: look before you rely on it.`
      : null,
    movedTo === null ? null : `An older state of the files on this machine is in ${movedTo}.`,
  ]
  return sentences.filter(sentence => sentence !== null).join(' ')
}
