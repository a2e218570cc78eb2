// [coordinator] The coordinator's HTTP application. Tests call it without a port; `startServer` gives it one.
import rateLimit from '@fastify/rate-limit';
import swagger from '@fastify/swagger';
import Fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { VERSION } from '../base/version.ts';
import { F3Error } from '../errors.ts';
import { noteRequests } from './audit/note-requests.ts';
import { servePage } from './dashboard/serve-page.ts';
import { answerClientError } from './http/answer-client-error.ts';
import { addBodyParsers, BODY_BYTES } from './http/body-parsers.ts';
import { describeRoute, TOKENS } from './http/describe-route.ts';
import { leaveUnread } from './http/leave-unread.ts';
import { limitBodies } from './http/limit-bodies.ts';
import { limitConnections } from './http/limit-connections.ts';
import { type LogOptions, logOptions } from './http/log-options.ts';
import { answerError } from './http/problem.ts';
import { refusePipelining } from './http/refuse-pipelining.ts';
import { RequestLog } from './http/request-log.ts';
import { ASK_FOR_CERTIFICATE, requireCertificate } from './http/require-certificate.ts';
import { describeMistakes } from './requests/parse-with.ts';
import { addApiPage } from './routes/api-page.ts';
import { addAudit } from './routes/audit.ts';
import { addBackups } from './routes/backups.ts';
import { addBundles } from './routes/bundles.ts';
import { addCoordinates } from './routes/coordinates.ts';
import { addEnrolment } from './routes/enrolment.ts';
import { addFederations } from './routes/federations.ts';
import { addHealth } from './routes/health.ts';
import { addInferenceTokens } from './routes/inference-tokens.ts';
import { addKeys } from './routes/keys.ts';
import { addLabelAccess } from './routes/label-access.ts';
import { addLeave } from './routes/leave.ts';
import { addLiveEvents } from './routes/live-events.ts';
import { addLivePrediction } from './routes/live-prediction.ts';
import { addMe } from './routes/me.ts';
import { addMembers } from './routes/members.ts';
import { addModelArchive } from './routes/model-archive.ts';
import { addModelGraph } from './routes/model-graph.ts';
import { addModelQuestions } from './routes/model-questions.ts';
import { addModels } from './routes/models.ts';
import { addOpenInference } from './routes/open-inference.ts';
import { addOverlap } from './routes/overlap.ts';
import { addPredictions } from './routes/predictions.ts';
import { addQuotas } from './routes/quotas.ts';
import { addSessions } from './routes/sessions.ts';
import { addShares } from './routes/shares.ts';
import { addTrainingList } from './routes/training-list.ts';
import { addTrainings } from './routes/trainings.ts';
import { addUploads } from './routes/uploads.ts';
import type { ServerContext } from './server-context.ts';
import { addAuthentication } from './tokens/authenticate.ts';

/** How a coordinator answers. */
export interface AppOptions {
  /** Where it logs. Without it nothing is logged. */
  log?: LogOptions;
  /** PEM texts. With `ca`, only clients with a certificate of that authority are answered. */
  https?: { key: string; cert: string; ca?: string };
  /** Requests per minute and member or inference token, or address where there is neither. */
  requestsPerMinute?: number;
}

/** The longest parameters of a path are encoded sample ids. */
const PARAM_LIMIT = 1024;

export type App = FastifyInstance;
/** Routes see validated bodies, typed by their schemas. */
export type TypedApp = ReturnType<typeof withTypes>;
export const withTypes = (app: FastifyInstance) => app.withTypeProvider<ZodTypeProvider>();

export async function buildApp(context: ServerContext, options: AppOptions = {}): Promise<App> {
  const { log, https, requestsPerMinute = 6000 } = options;
  const { limits } = context;
  const { headersMs, requestMs, checkMs, idleMs } = limits;
  const timeouts = { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: checkMs };
  const certificates = https?.ca ? ASK_FOR_CERTIFICATE : {};
  const app = Fastify({
    logger: log ? logOptions(log) : false,
    bodyLimit: BODY_BYTES.control,
    requestTimeout: requestMs,
    connectionTimeout: idleMs,
    ...(https
      ? { https: { ...https, ...certificates, ...timeouts, handshakeTimeout: headersMs } }
      : { http: timeouts }),
    routerOptions: { maxParamLength: PARAM_LIMIT },
    frameworkErrors: answerError,
    schemaErrorFormatter: (mistakes, part) =>
      new Error(describeMistakes(mistakes, ({ instancePath }) => `${part}${instancePath}`)),
    clientErrorHandler: answerClientError,
    logController: new RequestLog(),
  }) as unknown as FastifyInstance;
  limitConnections(app.server, limits);
  refusePipelining(app.server);
  if (https?.ca) requireCertificate(app);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request) => {
    throw new F3Error('F3_ROUTE', `route: must exist, got ${request.method} ${request.url.slice(0, 200)}`);
  });
  addBodyParsers(app, context);
  leaveUnread(app);
  closeConnectionsAtTheEnd(app);
  await app.register(swagger, {
    openapi: {
      info: { title: 'f3 coordinator', version: VERSION },
      components: TOKENS,
      security: [{ requestToken: [] }],
    },
    transform: describeRoute,
  });
  addAuthentication(app, context);
  noteRequests(app, context);
  limitBodies(app, limits);
  await app.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: '1 minute',
    hook: 'onRequest', // after the authentication, before the body
    keyGenerator: ({ member, inferenceToken, ip }) => member?.keyId ?? inferenceToken?.id ?? ip,
  });
  const typed = withTypes(app);
  for (const add of [
    addEnrolment,
    addMe,
    addKeys,
    addSessions,
    addFederations,
    addShares,
    addAudit,
    addBackups,
    addMembers,
    addLeave,
    addCoordinates,
    addUploads,
    addLabelAccess,
    addBundles,
    addQuotas,
    addTrainings,
    addTrainingList,
    addModels,
    addModelGraph,
    addModelArchive,
    addModelQuestions,
    addOverlap,
    addInferenceTokens,
    addPredictions,
    addOpenInference,
    addLivePrediction,
    addLiveEvents,
    addHealth,
    addApiPage,
  ]) {
    add(typed, context);
  }
  servePage(app);
  return app;
}

/**
 * Fastify sends `connection: close` to requests that come after the end has begun. Requests that are under way then need it
 * too, because their connections would otherwise stay open for another minute.
 */
function closeConnectionsAtTheEnd(app: FastifyInstance): void {
  let isEnding = false;
  app.addHook('preClose', (done) => {
    isEnding = true;
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isEnding) reply.header('connection', 'close');
    done(null, payload);
  });
}
