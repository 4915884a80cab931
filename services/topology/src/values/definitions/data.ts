import { definer, tcp, udp } from "./definition.js";

const storage = definer("Storage");
const backup = definer("Backup");
const database = definer("Database");
const queue = definer("MessageQueue");

/** Databases, storage and messaging. */
export const DATA = [
  storage("Synology DSM", "Runs Synology storage devices and their applications.", tcp(5000, 5001)),
  storage("QNAP QTS", "Runs QNAP storage devices and their applications.", tcp(443, 8080)),
  storage("TrueNAS", "Shares ZFS storage over files, blocks and objects.", tcp(80, 443)),
  storage("Unraid", "Combines disks of any size, and runs containers.", tcp(80, 443)),
  storage("openmediavault", "Turns a Debian host into a file server.", tcp(80, 443)),
  storage("MinIO", "Stores objects behind an interface compatible with S3.", tcp(9000, 9001)),
  storage("Samba", "Shares files and printers with Windows clients.", tcp(139, 445), udp(137, 138)),
  storage("NFS", "Shares file systems between Unix hosts.", tcp(111, 2049), udp(111, 2049)),
  storage("FTP", "Transfers files over separate control and data connections.", tcp(20, 21)),
  storage("iSCSI Target", "Offers block devices over the network.", tcp(3260)),
  storage("rsync", "Copies only the differences between two directories.", tcp(873)),
  storage("Ceph", "Spreads objects, blocks and files over many hosts.", tcp(3300, 6789, 8443)),
  storage("Nextcloud", "Shares files, calendars and contacts in a private cloud.", tcp(80, 443)),
  storage("Syncthing", "Synchronizes folders directly between devices.", tcp(8384, 22000), udp(21027, 22000)),

  backup("Proxmox Backup Server", "Keeps deduplicated backups of guests and hosts.", tcp(8007)),
  backup("Veeam Backup & Replication", "Backs up virtual, physical and cloud machines.", tcp(9392, 9419)),
  backup("Bacula", "Backs up many clients to disk or tape.", tcp(9101, 9102, 9103)),
  backup("Duplicati", "Sends encrypted backups to cloud storage.", tcp(8200)),
  backup("Kopia", "Takes encrypted, deduplicated snapshots of directories.", tcp(51515)),
  backup("BorgBackup", "Keeps deduplicated archives, usually reached over SSH."),

  database("PostgreSQL", "Stores relational data and answers SQL queries.", tcp(5432)),
  database("MySQL", "Stores relational data, often for web applications.", tcp(3306, 33060)),
  database("MariaDB", "Stores relational data as a community fork of MySQL.", tcp(3306)),
  database("Microsoft SQL Server", "Stores relational data for Microsoft platforms.", tcp(1433), udp(1434)),
  database("Oracle Database", "Stores relational data of large companies.", tcp(1521)),
  database("MongoDB", "Stores documents in collections.", tcp(27017)),
  database("Redis", "Keeps data structures in memory for fast access.", tcp(6379)),
  database("Memcached", "Caches small values in memory.", tcp(11211)),
  database("Apache Cassandra", "Stores wide rows on many equal nodes.", tcp(7000, 9042)),
  database("Elasticsearch", "Indexes documents for search and analysis.", tcp(9200, 9300)),
  database("InfluxDB", "Stores measurements as time series.", tcp(8086)),
  database("ClickHouse", "Analyses large tables stored by column.", tcp(8123, 9000)),
  database("etcd", "Keeps the shared configuration of a cluster consistent.", tcp(2379, 2380)),
  database("phpMyAdmin", "Administers MySQL and MariaDB in the browser.", tcp(80, 443)),

  queue("Apache Kafka", "Keeps streams of events in replicated logs.", tcp(9092)),
  queue("RabbitMQ", "Routes messages through exchanges into queues.", tcp(5671, 5672, 15672)),
  queue("NATS", "Delivers messages by subject between programs.", tcp(4222, 6222, 8222)),
  queue("Apache ActiveMQ", "Delivers messages over JMS and other protocols.", tcp(5672, 8161, 61616)),
  queue("MQTT Broker", "Passes small messages between devices by topic.", tcp(1883, 8883)),
  queue("Eclipse Mosquitto", "Passes MQTT messages with very few resources.", tcp(1883, 8883)),
  queue("EMQX", "Passes MQTT messages for large numbers of devices.", tcp(1883, 8083, 8883, 18083)),
];
