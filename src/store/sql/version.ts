// The version of the tables this program works with: the number of migrations.
// In its own file, so that opening an up-to-date store does not load the migrations.
import { RepriseError } from '../../errors.ts'

export const STORE_VERSION = 28

/** The version of a store that is being copied to: nobody opens it before the copy is whole. */
export const UNFINISHED_COPY = -1

/** `elsewhere`: where else the store could be. */
export function refuseNewer(version: number, elsewhere: string): void {
  if (version === UNFINISHED_COPY) {
    throw new RepriseError(
      'store-unusable',
      'this store is a copy that was not finished',
      'Run `reprise store copy` with the same FROM and TO again: it goes on where it was broken off.',
    )
  }
  if (version <= STORE_VERSION) return
  throw new RepriseError(
    'store-newer',
    `the store has version ${version}, but this Reprise only knows versions up to ${STORE_VERSION}`,
    `Upgrade Reprise, or ${elsewhere}.`,
  )
}
