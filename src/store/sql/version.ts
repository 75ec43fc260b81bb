// The version of the tables this program works with: the number of migrations.
// In its own file, so that opening an up-to-date store does not load the migrations.
import { RepriseError } from '../../errors.ts'

export const STORE_VERSION = 18

/** `elsewhere`: where else the store could be. */
export function refuseNewer(version: number, elsewhere: string): void {
  if (version <= STORE_VERSION) return
  throw new RepriseError(
    'store-newer',
    `the store has version ${version}, but this Reprise only knows versions up to ${STORE_VERSION}`,
    `Upgrade Reprise, or ${elsewhere}.`,
  )
}
