// Only `npm run test:storms` runs these: each takes long, and `npm test` has its like on the fake agent.
import { hostScenarios } from '../../scenarios/hosts/hosts.ts'

hostScenarios('2.1.325')
