// The real program of pi-acp under Reprise.
import { agentCases } from '../agents/agent-cases.ts'

agentCases('pi-acp')
