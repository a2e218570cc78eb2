// The peer of the server bench: a plain Fastify server that echoes what it gets. It prints its address.
import Fastify from 'fastify';

const app = Fastify({ bodyLimit: 8 * 1024 * 1024 });
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
app.post('/*', async ({ body }) => body);
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
