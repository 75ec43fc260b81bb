// What a thread file may hold at most. Whatever it claims, a reader writes no more than this to its staging directory.

export type FileLimits = {
  /** Of the whole file. */
  readonly fileBytes: number
  /** Of all entries together, unpacked. */
  readonly unpackedBytes: number
  /** Of all lists except the events, unpacked: a reader holds them in memory. */
  readonly listBytes: number
  /** Of the first two lines. */
  readonly headBytes: number
  readonly entries: number
  /** How many times larger an entry may be than its packed bytes; small entries may be more. */
  readonly ratio: number
  /** Of one line of an entry. */
  readonly lineBytes: number
  /** Of all entries that are lists. */
  readonly lines: number
}

const MB = 1024 * 1024

export const FILE_LIMITS: FileLimits = {
  fileBytes: 1024 * MB,
  unpackedBytes: 2048 * MB,
  listBytes: 256 * MB,
  headBytes: MB,
  entries: 2_000,
  ratio: 200,
  lineBytes: 64 * MB,
  lines: 2_000_000,
}

/** An entry of this size may be packed as tightly as it wants. */
export const FREE_RATIO_BYTES = MB
