// The outside world as small interfaces, so that tests can simulate a whole step.

export type Clock = {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after `ms`, or at once when the signal aborts (it never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export type Random = {
  uuid(): string
  /** 20 random letters and digits (100 bits). They mark where text of others begins and ends in a prompt. */
  promptMark(): string
  /** A new id of ours: `run_`, `thr_`, `msg_`, `ses_` and 16 letters or digits. */
  id(
    prefix: 'run' | 'thr' | 'msg' | 'ses' | 'brn' | 'chn' | 'sch' | 'job' | 'wrk' | 'pre' | 'prf',
  ): string
}

export type FileStat = {
  readonly kind: 'file' | 'directory' | 'other'
  readonly sizeBytes: number
  readonly modifiedMs: number
}

/** Writes private files for agents: the whole file or nothing. */
export type FileWriter = {
  write(path: string, content: string | Uint8Array): Promise<void>
  /** Removes a file, or a directory with all that is in it. Also when it is gone already. */
  remove(path: string): Promise<void>
}

/** Reads files, never writes them. Every function returns `null` for a missing file. */
export type Files = {
  stat(path: string): Promise<FileStat | null>
  realpath(path: string): Promise<string | null>
  list(directory: string): Promise<readonly string[] | null>
  /** Bytes `[fromByte, toByte)` of a file; to its end without `toByte`. */
  read(path: string, fromByte?: number, toByte?: number): Promise<Uint8Array | null>
}
