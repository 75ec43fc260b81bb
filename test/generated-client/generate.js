// Checks an OpenAPI document and writes a client for it: node generate.js <document.json> <directory>
import { readFileSync } from 'node:fs'
import { createClient } from '@hey-api/openapi-ts'
import { Validator } from '@seriousme/openapi-schema-validator'

const [input = '', path = ''] = process.argv.slice(2)
const validator = new Validator()
const { valid, errors } = await validator.validate(JSON.parse(readFileSync(input, 'utf8')))
if (valid) {
  await createClient({
    input,
    output: { path, importFileExtension: '.ts' },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    logs: { level: 'silent' },
  })
}
console.log(JSON.stringify({ valid, version: validator.version, errors: errors ?? [] }))
