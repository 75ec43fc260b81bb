import { hostScenarios } from '../scenarios/hosts/hosts.ts'

hostScenarios('2.1.325')
