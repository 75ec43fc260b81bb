// Opens a store and prints the code it was refused with, or `opened`.
import { RepriseError } from '../../../src/errors.ts'
import { openStore } from './open-store.ts'

const [place = ''] = process.argv.slice(2)
try {
  await (await openStore(place)).close()
  console.log('opened')
} catch (error) {
  console.log(error instanceof RepriseError ? error.code : String(error))
}
