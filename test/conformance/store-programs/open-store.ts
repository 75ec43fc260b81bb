// Opens the store that a program was told to use: a file, or the URL of a database.

import { isPostgresUrl } from '../../../src/core/database-url.ts'
import type { StoreWithWork } from '../../../src/store/contract/store.ts'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import { sqlite } from '../../../src/store/sqlite/sqlite.ts'

export function openStore(place: string): Promise<StoreWithWork> {
  return (isPostgresUrl(place) ? postgres(place) : sqlite(place))()
}
