// Opens a store and prints the code it was refused with, or `opened`.
import { RepriseError } from '../../../src/errors.ts'
import { sqlite } from '../../../src/store/sqlite/sqlite.ts'

const [file = ''] = process.argv.slice(2)
try {
  await (await sqlite(file)()).close()
  console.log('opened')
} catch (error) {
  console.log(error instanceof RepriseError ? error.code : String(error))
}
