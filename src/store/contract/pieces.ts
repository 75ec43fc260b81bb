// Where the vault keeps its bytes: files beside a SQLite store, rows in PostgreSQL.

/** What pieces belong to: the copy of a session file, or the objects of a thread or job. */
export type PiecePlace =
  | { readonly shelf: 'sessions'; readonly agent: string; readonly sessionId: string }
  | { readonly shelf: 'objects'; readonly owner: string }

export type PieceInfo = {
  readonly name: string
  /** When it was written, in milliseconds. */
  readonly at: number
  /** Its size as it is stored. */
  readonly bytes: number
}

/** Compressed bytes with the checksum of what was compressed. The reader that unpacks them checks it. */
export type PackedPiece = {
  /** SHA-256 in hexadecimal. */
  readonly digest: string
  readonly packed: Uint8Array
}

/** Who may write: the holder of a thread, by the token of its lease; with `null` anybody, as long as nobody holds the thread. */
export type PieceFence = { readonly threadId: string; readonly token: number | null }

export type PieceWriting = {
  /**
   * Throws `lease-lost` and writes nothing if another host has taken over the thread. Pieces that other hosts do not have need no
   * fence: on one host nobody takes over from a living process.
   */
  readonly fence?: PieceFence
  /** Pieces of the same place that the new one replaces: they go when it has come. */
  readonly instead?: readonly string[]
}

/** Keeps named pieces of bytes. When a verb has answered, its result is on disk. */
export type PieceStore = {
  /** Processes on other machines have the same pieces. */
  readonly isShared: boolean
  /** In no order. Every run looks at the names of its copy, so they must not cost a look at each piece. */
  names(place: PiecePlace): Promise<readonly string[]>
  /** In no order. */
  list(place: PiecePlace): Promise<readonly PieceInfo[]>
  /** Gives those that are there. */
  read(place: PiecePlace, names: readonly string[]): Promise<ReadonlyMap<string, PackedPiece>>
  /** Writes the whole piece or nothing. Replaces a piece of the same name. */
  write(place: PiecePlace, name: string, piece: PackedPiece, writing?: PieceWriting): Promise<void>
  drop(place: PiecePlace, names: readonly string[]): Promise<void>
  /** Drops all pieces of a place, and leaves no trace of the place. */
  remove(place: PiecePlace): Promise<void>
  /** Every piece. Pieces of one place come one after another; what is written or dropped meanwhile may be missing. */
  all(): AsyncIterable<{ readonly place: PiecePlace; readonly piece: PieceInfo }>
}

export type PieceOwnerVerbs = {
  /** Those of the places whose session, thread or job the store does not know. */
  withoutOwner(places: readonly PiecePlace[]): Promise<readonly PiecePlace[]>
}
