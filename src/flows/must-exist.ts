// Throws when a row is missing that another row of the store refers to.
import { RepriseError } from '../errors.ts'

export async function mustExist<T>(found: Promise<T | null>, what: string): Promise<T> {
  const value = await found
  if (value !== null) return value
  throw new RepriseError('internal', `${what} is not in the store`, 'Run `reprise verify`.')
}
