// Ends with 0 when what is named answers: a page of this machine's coordinator (http, https), or a port (tcp).
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';

const PATIENCE_MS = 4000;
const url = new URL(process.argv[2]);

/** The certificate is for the name that others use, not for the loopback address from which we ask. */
function pageAnswers() {
  const { get } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    get(url, { rejectUnauthorized: false, timeout: PATIENCE_MS }, (response) => {
      response.resume();
      if (response.statusCode === 200) resolve();
      else reject(new Error(`must answer with 200, got ${response.statusCode}`));
    })
      .on('timeout', () => reject(new Error(`must answer within ${PATIENCE_MS} ms`)))
      .on('error', reject);
  });
}

function portAnswers() {
  return new Promise((resolve, reject) => {
    net
      .connect({ host: url.hostname, port: Number(url.port), timeout: PATIENCE_MS }, resolve)
      .on('timeout', () => reject(new Error(`must answer within ${PATIENCE_MS} ms`)))
      .on('error', reject);
  });
}

try {
  await (url.protocol === 'tcp:' ? portAnswers() : pageAnswers());
  process.exit(0);
} catch (error) {
  process.stderr.write(`${url.href}: ${error.message}\n`);
  process.exit(1);
}
