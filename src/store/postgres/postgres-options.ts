// The options of `postgres()`.

/** How a PostgreSQL database is used. */
export type PostgresOptions = {
  /** The most connections of this process, besides those of the engine and those that hear of changes; default: 10. */
  readonly connections?: number | undefined
  /** How long to wait for a database that is away, before a verb fails; default: 10 seconds. */
  readonly awayMs?: number | undefined
  /** How long one statement may take, including its wait for locks; default: 60 seconds. */
  readonly statementMs?: number | undefined
}
