// What the outside world looks like to the rest: small interfaces, so that a whole step can be simulated.

export type Clock = {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after `ms`, or at once when the signal aborts (it never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export type Random = {
  uuid(): string
  /** 20 letters and digits that nobody can guess (100 bits): what tells our words in a prompt from those of others. */
  promptMark(): string
  /** A new id of ours: `run_`, `thr_`, `msg_`, `ses_` and 16 letters or digits. */
  id(prefix: 'run' | 'thr' | 'msg' | 'ses' | 'brn' | 'chn' | 'sch' | 'job'): string
}

export type FileStat = {
  readonly kind: 'file' | 'directory' | 'other'
  readonly sizeBytes: number
  readonly modifiedMs: number
}

/** Looking at files, never writing them. Every function answers `null` for what is not there. */
export type Files = {
  stat(path: string): Promise<FileStat | null>
  realpath(path: string): Promise<string | null>
  list(directory: string): Promise<readonly string[] | null>
  /** Bytes `[fromByte, toByte)` of a file; to its end without `toByte`. */
  read(path: string, fromByte?: number, toByte?: number): Promise<Uint8Array | null>
}
