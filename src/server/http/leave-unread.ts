// [coordinator] Ends connections whose request was answered before its body was read, without reading all of it: reading what nobody
// wants would cost more than the answer did.
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A rest up to this length is read, and the connection stays open for the next request. */
const SHORT_BYTES = 64 * 1024;
/**
 * Some clients read the answer only when they have sent everything. They get a while, and so many bytes per second of all that
 * such clients send are read: enough for a client that is mistaken, too few for many that mean it.
 */
const LINGER_MS = 3000;
const BYTES_PER_SECOND = 4 * 2 ** 20;
const TICK_MS = 10;

/** A connection that has had its answer. */
interface Leftover {
  request: FastifyRequest['raw'];
  socket: Socket;
  /** Time of `performance.now()` at which it is cut. */
  ends: number;
}

export function leaveUnread(app: FastifyInstance): void {
  const leftovers = new Leftovers();
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isUnread(request)) {
      const { raw } = request;
      reply.header('connection', 'close');
      const { socket } = raw;
      // When the answer is out, Node reads the whole body to throw it away, and calls `resume` for it.
      socket.resume = () => socket;
      // Then it calls this. By itself it would cut the line, and with it what the client has not read yet.
      socket.destroySoon = () => leftovers.add(raw);
    }
    done(null, payload);
  });
  app.addHook('preClose', (done) => {
    leftovers.cut();
    done();
  });
}

/** A body without a stated length may be as long as it likes. */
const isUnread = ({ raw }: FastifyRequest): boolean =>
  raw.complete === false && Number(raw.headers['content-length'] ?? Number.POSITIVE_INFINITY) > SHORT_BYTES;

class Leftovers {
  #waiting: Leftover[] = [];
  /** Bytes that may be read now. Reading more leaves a debt. */
  #budget = 0;
  #readBefore = 0;
  #timer: NodeJS.Timeout | undefined;

  add(request: FastifyRequest['raw']): void {
    const { socket } = request;
    socket.pause();
    socket.end();
    this.#waiting.push({ request, socket, ends: performance.now() + LINGER_MS });
    this.#timer ??= setInterval(() => this.#turn(), TICK_MS);
  }

  cut(): void {
    for (const { socket } of this.#waiting) socket.destroy();
    this.#turn();
  }

  /** One connection at a time is read, because a single look at the sockets reads megabytes from each. */
  #turn(): void {
    const [first] = this.#waiting;
    if (first) {
      first.socket.pause();
      this.#budget -= first.socket.bytesRead - this.#readBefore;
    }
    this.#budget = Math.min(this.#budget + (BYTES_PER_SECOND * TICK_MS) / 1000, BYTES_PER_SECOND);
    const now = performance.now();
    this.#waiting = [...this.#waiting.slice(1), ...(first ? [first] : [])].filter(({ request, socket, ends }) => {
      if (request.complete || now > ends) socket.destroy();
      return !socket.destroyed;
    });
    const [next] = this.#waiting;
    this.#readBefore = next?.socket.bytesRead ?? 0;
    if (!next) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (this.#budget > 0) Socket.prototype.resume.call(next.socket);
  }
}
