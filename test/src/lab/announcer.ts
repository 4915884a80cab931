/** Responds to questions for services as printers do, with the address and name in its arguments. Started where its machine is. */
import createMulticastDns from "multicast-dns";

const [ip = "", name = ""] = process.argv.slice(2);
const dns = createMulticastDns({ interface: ip, bind: "0.0.0.0" });
const type = "_http._tcp.local";
const instance = `${name}.${type}`;
dns.on("query", ({ questions }) => {
  for (const question of questions) {
    if (question.name === "_services._dns-sd._udp.local")
      dns.respond([{ name: question.name, type: "PTR", ttl: 120, data: type }]);
    if (question.name === type)
      dns.respond({
        answers: [{ name: type, type: "PTR", ttl: 120, data: instance }],
        additionals: [
          { name: instance, type: "SRV", ttl: 120, data: { target: `${name}.local`, port: 80 } },
          { name: `${name}.local`, type: "A", ttl: 120, data: ip },
        ],
      });
  }
});
