// The routes of runs, of their events and of their questions; part of ROUTES.
import { decisionInWordsSchema } from '../decision.ts'
import {
  feedSchema,
  feedStreamSchema,
  runEventsSchema,
  runStreamSchema,
  turnEventsSchema,
} from '../event.ts'
import { placeSample } from '../event-samples.ts'
import { pageOf } from '../fields.ts'
import { questionPageSchema, questionSchema, toolResultSchema } from '../question.ts'
import {
  emptySchema,
  eventsQuery,
  idParams,
  lastEventHeaders,
  questionsQuery,
  runsQuery,
} from '../requests.ts'
import { runResultSchema, runSchema, runWorkSchema, sentPromptSchema } from '../run.ts'
import { body, errors, events, json, route } from './route.ts'

export const RUN_ROUTES = {
  listRuns: route({
    method: 'get',
    path: '/api/runs',
    scope: 'read',
    summary: 'List runs, newest first',
    request: { query: runsQuery },
    responses: { 200: json(pageOf(runSchema), 'A page of runs'), ...errors },
  }),
  getRun: route({
    method: 'get',
    path: '/api/runs/{id}',
    scope: 'read',
    summary: 'A run',
    request: { params: idParams },
    responses: { 200: json(runSchema, 'The run'), ...errors },
  }),
  runResult: route({
    method: 'get',
    path: '/api/runs/{id}/result',
    scope: 'read',
    summary: 'A run with the text of its answer, which is empty while there is none',
    request: { params: idParams },
    responses: { 200: json(runResultSchema, 'The run and its answer'), ...errors },
  }),
  whyRun: route({
    method: 'get',
    path: '/api/runs/{id}/why',
    scope: 'read',
    summary: 'The decision of a run in words, with what every guard saw',
    request: { params: idParams },
    responses: { 200: json(decisionInWordsSchema, 'The decision in words'), ...errors },
  }),
  runPrompt: route({
    method: 'get',
    path: '/api/runs/{id}/prompt',
    scope: 'read',
    summary: 'What the agent of a run was given: the prompt as it was sent, and its arguments',
    request: { params: idParams },
    responses: { 200: json(sentPromptSchema, 'Prompt and arguments'), ...errors },
  }),
  runWork: route({
    method: 'get',
    path: '/api/runs/{id}/work',
    scope: 'read',
    summary:
      'Which process runs it, under which lease, and what it has cost so far: while it goes, the list prices of the requests that were reported',
    request: { params: idParams },
    responses: { 200: json(runWorkSchema, 'The work of the run'), ...errors },
  }),
  runEvents: route({
    method: 'get',
    path: '/api/runs/{id}/events',
    scope: 'read',
    summary: 'Live events of a run (`id:` is its `seq`), or a list with Accept: application/json',
    request: { params: idParams, query: eventsQuery, headers: lastEventHeaders },
    responses: {
      200: events(
        { data: runStreamSchema, idOf: seq => `${seq}` },
        runEventsSchema,
        'Events after `Last-Event-ID` or `after`; the stream ends with the run',
      ),
      ...errors,
    },
  }),
  turnEvents: route({
    method: 'get',
    path: '/api/turns/{id}/events',
    scope: 'read',
    summary:
      'Live events of all runs of a turn, from any of its runs on (`id:` is `run:seq`), or a list with Accept: application/json',
    request: { params: idParams, query: eventsQuery, headers: lastEventHeaders },
    responses: {
      200: events(
        { data: runStreamSchema, idOf: placeSample },
        turnEventsSchema,
        'Events after `Last-Event-ID` or `after`; the stream ends with the turn',
      ),
      ...errors,
    },
  }),
  cancelRun: route({
    method: 'post',
    path: '/api/runs/{id}/cancel',
    scope: 'submit',
    summary: 'Cancel a run and end all its processes; gives the run as it is after the request',
    request: { params: idParams, body: body(emptySchema) },
    responses: { 200: json(runSchema, 'The run'), ...errors },
  }),
  runQuestions: route({
    method: 'get',
    path: '/api/runs/{id}/questions',
    scope: 'read',
    summary: 'List the questions of a run, oldest first',
    request: { params: idParams },
    responses: { 200: json(pageOf(questionSchema), 'All questions of the run'), ...errors },
  }),
  answerQuestion: route({
    method: 'post',
    path: '/api/runs/{id}/tool-result',
    scope: 'approve',
    summary:
      'Answer a question of a run. Its process continues; if the process has ended, the run in `continuedBy` continues the turn',
    request: { params: idParams, body: body(toolResultSchema) },
    responses: { 200: json(runSchema, 'The run that asked'), ...errors },
  }),
  listQuestions: route({
    method: 'get',
    path: '/api/questions',
    scope: 'read',
    summary:
      'List the questions of all runs, oldest first; with `state=answered` or `state=expired`, what was closed last is first',
    request: { query: questionsQuery },
    responses: { 200: json(questionPageSchema, 'A page of questions'), ...errors },
  }),
  events: route({
    method: 'get',
    path: '/api/events',
    scope: 'read',
    summary:
      'Live events of all runs (`id:` is the position), or a list with Accept: application/json',
    request: { query: eventsQuery, headers: lastEventHeaders },
    responses: {
      200: events(
        { data: feedStreamSchema, idOf: seq => `${4_711 + seq}` },
        feedSchema,
        'Events after `Last-Event-ID` or `after`; without either, from now on',
      ),
      ...errors,
    },
  }),
} as const
