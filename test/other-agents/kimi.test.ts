// The real program of kimi under Reprise.
import { acpCases } from '../agents/acp-cases.ts'

acpCases('kimi')
