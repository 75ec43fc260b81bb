// The routes of agents' sessions; part of ROUTES.
import { pageOf } from '../fields.ts'
import { diagnoseSchema, emptySchema, idParams, sessionsQuery } from '../requests.ts'
import {
  archivedSessionSchema,
  sessionDetailsSchema,
  sessionDiagnosisSchema,
  sessionSchema,
} from '../thread.ts'
import { body, errors, json, route } from './route.ts'

export const SESSION_ROUTES = {
  listSessions: route({
    method: 'get',
    path: '/api/sessions',
    scope: 'read',
    summary: "List the agents' sessions, newest first",
    request: { query: sessionsQuery },
    responses: { 200: json(pageOf(sessionSchema), 'A page of sessions'), ...errors },
  }),
  getSession: route({
    method: 'get',
    path: '/api/sessions/{id}',
    scope: 'read',
    summary: 'A session, with the state of its file and what it would cost to wake it',
    request: { params: idParams },
    responses: { 200: json(sessionDetailsSchema, 'The session'), ...errors },
  }),
  archiveSession: route({
    method: 'post',
    path: '/api/sessions/{id}/archive',
    scope: 'submit',
    summary: 'Write a session to files; it can still be continued',
    request: { params: idParams, body: body(emptySchema) },
    responses: { 200: json(archivedSessionSchema, 'The session and where it was put'), ...errors },
  }),
  unarchiveSession: route({
    method: 'post',
    path: '/api/sessions/{id}/unarchive',
    scope: 'submit',
    summary: 'Take an archived session back into use; the files that were written stay',
    request: { params: idParams, body: body(emptySchema) },
    responses: { 200: json(sessionSchema, 'The session'), ...errors },
  }),
  diagnoseSession: route({
    method: 'post',
    path: '/api/sessions/{id}/doctor',
    scope: 'submit',
    summary:
      'Say what is wrong with the file of a session; with `repair`, make a repaired copy and resume it without a prompt, to prove it',
    request: { params: idParams, body: body(diagnoseSchema) },
    responses: {
      200: json(sessionDiagnosisSchema, 'What was found, and the repaired copy'),
      ...errors,
    },
  }),
} as const
