// Only `npm run test:storms` runs these: each takes long, and `npm test` has its like on the fake agent.
import { NEWEST } from '../../scenarios/harness/program.ts'
import { hostScenarios } from '../../scenarios/hosts/hosts.ts'

hostScenarios(NEWEST)
