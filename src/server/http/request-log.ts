// [coordinator] Writes one log line per request once it is answered: who asked for what, how it ended, how long it took.
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';

export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { elapsedTime: responseTime } = reply;
    const { member, inferenceToken } = request;
    const asking = { ...(member && { member: member.owner }), ...(inferenceToken && { token: inferenceToken.name }) };
    const line = { req: request, res: reply, responseTime, ...asking };
    if (error) reply.log.error({ ...line, err: error }, 'request errored');
    else reply.log.info(line, 'request completed');
  }
}
