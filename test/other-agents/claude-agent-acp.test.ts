// The real program of claude-agent-acp under Reprise.
import { acpCases } from '../agents/acp-cases.ts'

acpCases('claude-agent-acp')
