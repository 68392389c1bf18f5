// `node --import <this file> apps/standalone/dist/main.js`: stands between payments and the sandbox rail of the same process and
// lets calls go wrong, by the first four digits of the recipient's number. The build itself is not touched: it meets a bad
// network and a bad rail, which the sandbox rails of early builds could not play themselves.
import { Server, request as httpRequest } from 'node:http';

/** What goes wrong, by the first four digits. `submit` and `query`: pass, lose (done, the answer is lost), drop (never done), hang, refuse. */
const TROUBLES = {
  9101: { submit: 'lose', query: 'drop' },
  9102: { submit: 'drop', query: 'drop' },
  9103: { submit: 'lose_late', query: 'drop' },
  9104: { submit: 'hang', query: 'drop' },
  9105: { submit: 'refuse', query: 'pass' },
  9106: { submit: 'pass', query: 'drop' },
  9107: { submit: 'pass', query: 'other_amount' },
};
const PASSED = 'x-passed-on';

const emit = Server.prototype.emit;
const troubleOfId = new Map();

Server.prototype.emit = function emitWithTrouble(event, request, response) {
  const isCall = event === 'request' && request.url.startsWith('/v1/payouts') && request.headers[PASSED] === undefined;
  if (!isCall) return emit.apply(this, arguments);
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => meet(this, request, response, Buffer.concat(chunks)));
  return true;
};

function meet(server, request, response, body) {
  const doing = request.method === 'POST' ? submitTrouble(body) : (troubleOfId.get(request.url.split('/').pop())?.query ?? 'pass');
  switch (doing) {
    case 'pass':
      return passOn(server, request, body, (answer, text) => response.writeHead(answer.statusCode, answer.headers).end(text));
    case 'lose':
      return passOn(server, request, body, () => response.destroy());
    case 'lose_late':
      return passOn(server, request, body, () => undefined);
    case 'other_amount':
      return passOn(server, request, body, (answer, text) => {
        const changed = text.replace(/"amount":"[^"]*"/, '"amount":"1.23"');
        response.writeHead(answer.statusCode, { 'content-type': 'application/json' }).end(changed);
      });
    case 'refuse':
      return response.writeHead(400, { 'content-type': 'application/json' }).end('{"code":"INVALID_REQUEST","message":"not today"}');
    case 'drop':
      return response.destroy();
    default:
      return undefined;
  }
}

function submitTrouble(body) {
  const { id, recipient } = JSON.parse(body.toString('utf8'));
  const trouble = TROUBLES[recipient.account_number?.slice(0, 4)];
  if (trouble !== undefined) troubleOfId.set(id, trouble);
  return trouble?.submit ?? 'pass';
}

/** The same call to the same server, past this file. */
function passOn(server, { method, url, headers }, body, done) {
  const { address, port } = server.address();
  const onward = httpRequest({ host: address, port, method, path: url, headers: { ...headers, [PASSED]: '1' } }, (answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    answer.on('end', () => done(answer, text));
  });
  onward.end(body);
}
