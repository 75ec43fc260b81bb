// The real program of kimi under Reprise.
import { agentCases } from '../agents/agent-cases.ts'

agentCases('kimi')
